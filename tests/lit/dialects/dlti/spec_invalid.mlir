// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{duplicate DLTI entry key}}
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<"a", 1 : i32>, #dlti.dl_entry<"a", 2 : i32>>} {}

// -----

// expected-error @+1 {{Expected '=', got '>'}}
module attributes {dlti.dl_spec = #dlti.dl_spec<"a">} {}
