"""What `mlc explore` shows: one compilation as a document, and a page that renders it.

A *document* (`document.py`, with `document_values.py` and `document_code.py`) is plain data, dataclasses of numbers and
strings that JSON holds. It is collected while the model is compiled once (`collect.py`):

- `telling_passes.py` tells whoever waits how many passes have run.
- `recording.py` is an instrumentation of the pass manager: after each pass it prints the functions that changed. A text
  is stored once, and passes refer to it by its number (`texts.py`); each line of a text of IR has a *place*, the source
  location of its op. Places link the levels: what the ONNX node `/layer1/conv1` became are the lines with its place, in
  index notation, in loops and at the llvm level. They also say which kernels compute an op of the graph
  (`recording_calls.py`).
- `kernel_pages.py` asks what `mlc explain` asks of each kernel: its schedule in words, its loops after each step;
  `kernel_estimates.py` its estimate, those of the candidates that were not taken and, if it loses time, of schedules
  one step away. `limits.py` has the roofline of the machine, and `measuring.py` the measured times, if they are asked
  for, and why a call takes as long as it does.
- `machine_code.py` has LLVM IR and assembly, a function at a time, and in these the inner loops (`loop_view.py`), of
  which llvm-mca is asked if it is installed; `code_places.py` has the places of their lines, `artifact.py` the bytes
  of the library by section.
- `graph_view.py` has the graph as it was imported, `memory_view.py` the arena and the weights, of which sizes and types
  alone are written down.
- `code_results.py` runs the library on inputs that were given: by the bits of its results, compilations are compared.
- `record_values.py` runs the model by the reference on inputs that were given, after each pass that changes it
  (`run_values.py` says where each value is from), and takes numbers of each value (`value_numbers.py`) and pictures
  (`value_pictures.py`). Arrays wait in a file for the next run (`value_store.py`), and are no part of the document.

Nothing here asks for the name of an op, so dialects and passes of plugins are shown as all others are.

The *page* (`page.py`) is one HTML file: the document, compressed, and the files of `viewer/`, plain JavaScript and CSS
that no tool has to build. It opens offline. A content security policy forbids all network access, and all scripts and
styles but these two, which it knows by their hashes; trusted types forbid to make HTML of strings. So names in a
model, which may be hostile, stay text.

The viewer decompresses the document when it opens, and a chunk of texts when one of them is shown; it draws the lines
that are in sight, and no others. Differences between two forms of a function are computed when somebody looks at them.
Values that have no name but a number are compared without it (`%12` and `%13` are equal), as each new op changes the
numbers of all that follow, and lines without their indentation, as each new loop moves all that is in it.
"""
