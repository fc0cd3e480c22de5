"""An engine without a model, which plays a scenario. Nothing is imported here, so that its child starts soon."""
