// Colours for IR, LLVM IR and assembly, by the shape of words alone: no dialect is known here.

const TOKENS = /(\/\/.*|;.*)|("(?:[^"\\]|\\.)*")|([%@!#^][\w$.-]+)|(\b(?:memref|tensor|vector|complex)<[^<>]*(?:<[^<>]*>[^<>]*)*>|\b(?:[su]?i\d+|bf16|f\d+\w*|index|ptr|float|double|half)\b)|(\b[a-z_]\w*(?:\.[a-z_][\w-]*)+)|((?<![\w.])-?\d[\w.+-]*)/gi;
const KINDS = ["comment", "string", "name", "type", "op", "number"];
const LONGEST = 4000;

/** A line as spans; a very long one stays plain and is cut. */
function highlighted(line) {
  if (line.length > LONGEST) return [`${line.slice(0, LONGEST)} …`];
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    if (match.index > end) parts.push(line.slice(end, match.index));
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)];
    parts.push(h(`span.${kind}`, {}, match[0]));
    end = match.index + match[0].length;
  }
  if (end < line.length) parts.push(line.slice(end));
  return parts;
}
