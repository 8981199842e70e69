"""From the weights of a folder to an ONNX graph that computes the same; done once, then kept."""
