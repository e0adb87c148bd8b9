"""Records of measured schedules, which compilations ask."""
