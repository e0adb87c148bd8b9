// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @print_c1(%v: vector<4xf32>) {
  // expected-error @+1 {{vector.print: it prints a value or a text, not both (print_c1)}}
  vector.print %v : vector<4xf32> str "text"
  return
}

// -----

func.func @punctuation(%v: vector<4xf32>) {
  // expected-error @+1 {{colon}}
  vector.print %v : vector<4xf32> punctuation <colon>
  return
}
