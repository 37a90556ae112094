"""The benchmark harness: plimsoll side by side with other load generators."""
