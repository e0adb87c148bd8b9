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

// -----

func.func @value(%t: tensor<8xf32>) {
  // expected-error @+1 {{vector.print: it prints a number or a vector, got tensor<8xf32> (print_c2)}}
  vector.print %t : tensor<8xf32>
  return
}

// -----

func.func @text() {
  // expected-error @+1 {{vector.print: a text is printed without punctuation (print_c3)}}
  vector.print str "text" punctuation <comma>
  return
}
