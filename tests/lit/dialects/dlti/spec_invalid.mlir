// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{duplicate DLTI entry key}}
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<"a", 1 : i32>, #dlti.dl_entry<"a", 2 : i32>>} {}

// -----

// expected-error @+1 {{Expected '=', got '>'}}
module attributes {dlti.dl_spec = #dlti.dl_spec<"a">} {}

// -----

// expected-error @+1 {{the layout of !llvm.ptr is dense<...> of 3 or 4 numbers of type i64, got dense<6.400000e+01> : vector<3xf32>}}
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<!llvm.ptr, dense<64.0> : vector<3xf32>>>} {}

// -----

// expected-error @+1 {{the preferred alignment of !llvm.ptr is 32, less than the required 64}}
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<!llvm.ptr, dense<[64, 64, 32]> : vector<3xi64>>>} {}

// -----

// expected-error @+1 {{the preferred alignment of !llvm.struct<()> is 32, less than the required 64}}
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<!llvm.struct<()>, dense<[64, 32]> : vector<2xi64>>>} {}

// -----

// expected-error @+1 {{found an entry for !llvm.struct<(i8)>; all structs share that of !llvm.struct<()>}}
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<!llvm.struct<(i8)>, dense<[64, 64]> : vector<2xi64>>>} {}
