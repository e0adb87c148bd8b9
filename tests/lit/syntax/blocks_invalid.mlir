// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// What branches pass to blocks, where they go, and how blocks end.

func.func @count() {
  // expected-error @+1 {{'cf.br' passes 0 values to '^b', which has 1 argument}}
  cf.br ^b
^b(%x: i32):
  return
}

// -----

func.func @too_many(%a: i32) {
  // expected-error @+1 {{'cf.br' passes 1 value to '^bb1', which has 0 arguments}}
  "cf.br"(%a) [^bb1] : (i32) -> ()
^bb1:
  return
}

// -----

func.func @type(%a: i32) {
  // expected-error @+1 {{'cf.br' passes value 0 of type i32 to '^b', which takes f32 there}}
  cf.br ^b(%a : i32)
^b(%x: f32):
  return
}

// -----

func.func @one_of_two(%c: i1, %a: i32) {
  // expected-error @+1 {{'cf.cond_br' passes value 1 of type i32 to '^no', which takes i64 there}}
  cf.cond_br %c, ^yes(%a : i32), ^no(%a, %a : i32, i32)
^yes(%x: i32):
  return
^no(%y: i32, %z: i64):
  return
}

// -----

func.func @switch(%a: i32) {
  // expected-error @+1 {{'cf.switch' passes 0 values to '^two', which has 1 argument}}
  cf.switch %a : i32, [default: ^one, 1: ^one, 2: ^two]
^one:
  return
^two(%x: i32):
  return
}

// -----

llvm.func @in_llvm(%a: i32) {
  // expected-error @+1 {{'llvm.br' passes 0 values to '^b', which has 1 argument}}
  llvm.br ^b
^b(%x: i32):
  llvm.return
}

// -----

llvm.func @conditional_in_llvm(%c: i1) {
  // expected-error @+1 {{'llvm.cond_br' passes value 0 of type i1 to '^b', which takes i32 there}}
  llvm.cond_br %c, ^b(%c : i1), ^d
^b(%x: i32):
  llvm.return
^d:
  llvm.return
}

// -----

func.func @entry() {
^a:
  // expected-error @+1 {{'cf.br' branches to the entry block of its region, which may have no predecessors; branch to a block after it}}
  cf.br ^a
}

// -----

"t.op"() ({
  "t.br"() [^b] : () -> ()
^b:
  // expected-error @+1 {{'t.br' has successors, so it has to be the last operation of its block}}
  "t.br"() [^b] : () -> ()
  "t.end"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{'t.op': block '^b' is empty; each block of several ends with a terminator}}
"t.op"() ({
  "t.br"() [^b] : () -> ()
^b:
^d:
  "t.br"() [^b] : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{'func.func': a region's only block is empty; it needs at least a terminator, such as 'func.return'}}
func.func @empty() {
^bb0:
}

// -----

func.func @no_return(%a: i32) {
  // expected-error @+1 {{'arith.addi' ends a block, which needs a terminator after it, such as 'func.return'}}
  %0 = arith.addi %a, %a : i32
}

// -----

func.func @no_return_in_one_of_two(%a: i32) {
  cf.br ^b
^b:
  // expected-error @+1 {{'arith.addi' ends a block, which needs a terminator after it, such as 'func.return'}}
  %0 = arith.addi %a, %a : i32
}

// -----

// Several errors, in the order of the text.

func.func @first() {
  // expected-error @+1 {{'cf.br' passes 0 values to '^b', which has 1 argument}}
  cf.br ^b
^b(%x: i32):
  return
}
func.func @second() {
  // expected-error @+1 {{'cf.br' passes 0 values to '^b', which has 1 argument}}
  cf.br ^b
^b(%x: i32):
  return
}

// -----

// In one block of an operation that nobody knows, order may mean nothing; between several it means what it always does.

"t.op"() ({
  "t.use"(%1) : (i32) -> ()
  %1 = "t.make"() : () -> i32
}) : () -> ()

"t.op"() ({
  "t.br"() [^b] : () -> ()
^b:
  // expected-error @+1 {{operand '%x' is used where its definition does not reach}}
  "t.use"(%x) : (i32) -> ()
  // expected-note @+1 {{defined here}}
  %x = "t.make"() : () -> i32
  "t.br"() [^b] : () -> ()
}) : () -> ()
