// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// Loops that begin and end at sums of the counters around them: a window of 5 over 8 pixels, of which 2 on each side are
// padding, stays inside.
func.func @window(%x: memref<8xf32>, %two: index) {
  loop.for serial "y" %y = 0 to 8 {
    %c2 = arith.constant 2 : index
    %c10 = arith.constant 10 : index
    %first = arith.subi %c2, %y : index
    %last = arith.subi %c10, %y : index
    loop.for serial "k" %k = 0 to 5 from %first limit %last {
      %a = loop.load %x[%y + %k - 2] : memref<8xf32>
      %b = loop.load %x[9 - %y - %k] : memref<8xf32>
    }
  }
  return
}

// -----

// A stride: the bounds are multiples of the counter.
func.func @stride(%x: memref<8xf32>) {
  loop.for serial "y" %y = 0 to 4 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c9 = arith.constant 9 : index
    %at = arith.muli %y, %c2 : index
    %first = arith.subi %c1, %at : index
    %last = arith.subi %c9, %at : index
    loop.for serial "k" %k = 0 to 3 from %first limit %last {
      %a = loop.load %x[%y * 2 + %k - 1] : memref<8xf32>
    }
  }
  return
}

// -----

// A limit alone, which is at least 1.
func.func @limit(%x: memref<8xf32>) {
  loop.for serial "y" %y = 0 to 8 {
    %c8 = arith.constant 8 : index
    %last = arith.subi %c8, %y : index
    loop.for serial "k" %k = 0 to 3 limit %last {
      %a = loop.load %x[%y + %k] : memref<8xf32>
    }
  }
  return
}

// -----

// Two windows in each other.
func.func @nested(%x: memref<8xf32>) {
  loop.for serial "y" %y = 0 to 8 {
    %c8 = arith.constant 8 : index
    %last = arith.subi %c8, %y : index
    loop.for serial "j" %j = 0 to 3 limit %last {
      %both = arith.addi %y, %j : index
      %rest = arith.subi %c8, %both : index
      loop.for serial "k" %k = 0 to 3 limit %rest {
        %a = loop.load %x[%y + %j + %k] : memref<8xf32>
      }
    }
  }
  return
}

// -----

// One more than there is.
func.func @too_late(%x: memref<8xf32>) {
  loop.for serial "y" %y = 0 to 8 {
    %c9 = arith.constant 9 : index
    %last = arith.subi %c9, %y : index
    loop.for serial "k" %k = 0 to 3 limit %last {
      // expected-error @+1 {{loop.load: subscript 0 runs from 0 to 8, outside of memref<8xf32> (access_c7)}}
      %a = loop.load %x[%y + %k] : memref<8xf32>
    }
  }
  return
}

// -----

func.func @too_early(%x: memref<8xf32>) {
  loop.for serial "y" %y = 0 to 8 {
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %first = arith.subi %c1, %y : index
    %last = arith.subi %c10, %y : index
    loop.for serial "k" %k = 0 to 5 from %first limit %last {
      // expected-error @+1 {{loop.load: subscript 0 runs from -1 to 7, outside of memref<8xf32> (access_c7)}}
      %a = loop.load %x[%y + %k - 2] : memref<8xf32>
    }
  }
  return
}

// -----

// The first iteration of a loop from 0 is run where the limit is 0, too.
func.func @first(%x: memref<8xf32>) {
  loop.for serial "y" %y = 0 to 9 {
    %c8 = arith.constant 8 : index
    %last = arith.subi %c8, %y : index
    loop.for serial "k" %k = 0 to 3 limit %last {
      // expected-error @+1 {{loop.load: subscript 0 runs from 0 to 10, outside of memref<8xf32> (access_c7)}}
      %a = loop.load %x[%y + %k] : memref<8xf32>
    }
  }
  return
}

// -----

// Iterations of a parallel loop beyond its limit may be run.
func.func @parallel(%x: memref<8xf32>) {
  loop.for serial "y" %y = 0 to 8 {
    %c8 = arith.constant 8 : index
    %last = arith.subi %c8, %y : index
    loop.for parallel "k" %k = 0 to 3 limit %last {
      // expected-error @+1 {{loop.load: subscript 0 runs from 0 to 9, outside of memref<8xf32> (access_c7)}}
      %a = loop.load %x[%y + %k] : memref<8xf32>
    }
  }
  return
}

// -----

// A loop in steps begins at the last of its values that is not above the start.
func.func @steps(%x: memref<8xf32>) {
  loop.for serial "y" %y = 0 to 4 {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %first = arith.subi %c1, %y : index
    loop.for serial "k" %k = 0 to 4 from %first limit %c8 step 2 {
      // expected-error @+1 {{loop.load: subscript 0 runs from -1 to 4, outside of memref<8xf32> (access_c7)}}
      %a = loop.load %x[%y + %k - 1] : memref<8xf32>
    }
  }
  return
}

// -----

// Of a limit that is given nothing is known.
func.func @given(%x: memref<8xf32>, %n: index) {
  loop.for serial "k" %k = 0 to 9 limit %n {
    // expected-error @+1 {{loop.load: subscript 0 runs from 0 to 8, outside of memref<8xf32> (access_c7)}}
    %a = loop.load %x[%k] : memref<8xf32>
  }
  return
}
