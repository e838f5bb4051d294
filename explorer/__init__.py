"""An explorer of Transformer attention in which every number is a real tensor element."""
