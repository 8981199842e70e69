"""The entailment model measured: speed, growth, and the transformers pipeline in comparison."""

import os

#: Set before numpy and torch start their threads: everything here is measured on one.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
os.environ.update(ONE_THREAD)
