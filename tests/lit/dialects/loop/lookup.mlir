// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @bytes
// CHECK:         loop.lookup %x in dense<7> : tensor<256xi8> : i8
// CHECK:         loop.lookup %v in dense<-1> : tensor<256xi8> : vector<64xi8>
func.func @bytes(%x: i8, %v: vector<64xi8>) {
  %a = loop.lookup %x in dense<7> : tensor<256xi8> : i8
  %b = loop.lookup %v in dense<-1> : tensor<256xi8> : vector<64xi8>
  return
}
