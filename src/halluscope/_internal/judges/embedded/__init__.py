"""The machinery of the embedded judge: reading claims, quantities, names and wording, and its model."""
