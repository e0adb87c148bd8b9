// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK: dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<i64, dense<[32, 64]> : vector<2xi64>>, #dlti.dl_entry<"dlti.stack_alignment", 32 : i32>>
module attributes {
  dlti.dl_spec = #dlti.dl_spec<
    #dlti.dl_entry<i64, dense<[32, 64]> : vector<2xi64>>,
    "dlti.stack_alignment" = 32 : i32>} {
}
