"""Make what students start from: stubs, handout, notebook and bundle."""
