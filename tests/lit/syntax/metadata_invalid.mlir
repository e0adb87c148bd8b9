// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// The section of a file that holds, or names, the data of resources.

"t.op"() : () -> ()
// expected-error @+1 {{metadata is dialect_resources or external_resources, got 'resources'}}
{-# resources: { builtin: { a: "0x00" } } #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected the path of a weight file as a string}}
{-# external_resources: { mlc: { weights: 5 } } #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected the path of a weight file as a string}}
{-# external_resources: { mlc: { weights: true } } #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{the data of resource 'a' is a string that starts with 0x}}
{-# dialect_resources: { builtin: { a: "00" } } #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{the data of resource 'a' is a string that starts with 0x}}
{-# dialect_resources: { builtin: { a: 5 } } #-}

// -----

"t.op"() : () -> ()
{-#
  dialect_resources: {
    builtin: {
      // expected-note @+1 {{defined here before}}
      a: "0x0400000000",
      // expected-error @+1 {{resource 'a' is defined twice}}
      a: "0x0400000000"
    }
  }
#-}

// -----

// Data that does not decode; it is looked at where it is used.
"t.op"() {v = dense_resource<odd> : tensor<1xi8>} : () -> ()
"t.op"() {v = dense_resource<letters> : tensor<1xi8>} : () -> ()
"t.op"() {v = dense_resource<short> : tensor<1xi8>} : () -> ()
{-#
  dialect_resources: {
    builtin: {
      // expected-error @+1 {{the data of resource 'odd' is not pairs of hexadecimal digits}}
      odd: "0x040000000",
      // expected-error @+1 {{the data of resource 'letters' is not pairs of hexadecimal digits}}
      letters: "0x04000000zz",
      // expected-error @+1 {{the data of resource 'short' lacks the 4 bytes of its alignment}}
      short: "0x0400"
    }
  }
#-}

// -----

// Types that data cannot have.
// expected-error @+1 {{a dense_resource cannot have elements of type !t.t}}
"t.op"() {v = dense_resource<a> : tensor<1x!t.t>} : () -> ()
{-# dialect_resources: { builtin: { a: "0x0400000000" } } #-}

// -----

"t.op"() {v = dense_resource<a> : tensor<1xi8>} : () -> ()
// expected-error @+1 {{a dense_resource has known sizes, got tensor<?xi8>}}
"t.op"() {v = dense_resource<a> : tensor<?xi8>} : () -> ()
{-# dialect_resources: { builtin: { a: "0x0400000000" } } #-}

// -----

// expected-error @+1 {{unknown resource 'unknown' (the text names no weight file)}}
"t.op"() {v = dense_resource<unknown> : tensor<1xi8>} : () -> ()

// -----

// Punctuation.
"t.op"() : () -> ()
// expected-error @+1 {{expected ':', got '{'}}
{-# dialect_resources { } #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected ':', got '"0x00"'}}
{-# dialect_resources: { builtin: { a "0x00" } } #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected 'false', 'true', a number or a string, got 'x'}}
{-# dialect_resources: { builtin: { a: x } } #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected '{', got '"a"'}}
{-# dialect_resources: { builtin: "a" } #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected '#-}', a name or a string, got '5'}}
{-# 5 #-}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected '#-}' or ',', got '}'}}
{-# dialect_resources: { } }

// -----

// expected-error @+1 {{expected an operation, got '#-}'}}
"t.op"() : () -> () #-}
