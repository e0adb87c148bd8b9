-- One session of Neovim with the language server: opens MLC_FILE, asks, edits, and writes what was said to MLC_OUT.
local file, said = vim.env.MLC_FILE, {}

local function run()
  vim.cmd("edit " .. vim.fn.fnameescape(file))
  local client = vim.lsp.start_client({
    name = "mlc",
    cmd = vim.fn.json_decode(vim.env.MLC_COMMAND),
    root_dir = vim.fn.fnamemodify(file, ":h"),
  })
  vim.lsp.buf_attach_client(0, client)
  vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
  said.diagnostics = vim.tbl_map(function(d) return { d.lnum, d.message } end, vim.diagnostic.get(0))

  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(0, method, params, 30000)
    return answers and answers[client] and answers[client].result
  end
  vim.api.nvim_win_set_cursor(0, { 2, 10 })
  local place = vim.lsp.util.make_position_params()
  said.hover = ask("textDocument/hover", place).contents.value
  said.offered = vim.tbl_map(
    function(each) return each.title end,
    ask("textDocument/codeAction", {
      textDocument = place.textDocument,
      range = { start = { line = 2, character = 8 }, ["end"] = { line = 2, character = 8 } },
      context = { diagnostics = {} },
    })
  )
  local at = vim.api.nvim_buf_get_lines(0, 2, 3, true)[1]:find("graph.rellu", 1, true) - 1
  vim.api.nvim_buf_set_text(0, 2, at, 2, at + 11, { "graph.relu" })
  vim.wait(60000, function() return #vim.diagnostic.get(0) == 0 end, 50)
  said.left = #vim.diagnostic.get(0)
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ async = false, timeout_ms = 30000 })
  else
    vim.lsp.buf.formatting_sync(nil, 30000)
  end
  said.text = vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local fine, problem = pcall(run)
said.problem = not fine and tostring(problem) or nil
vim.fn.writefile({ vim.fn.json_encode(said) }, vim.env.MLC_OUT)
vim.cmd("qall!")
