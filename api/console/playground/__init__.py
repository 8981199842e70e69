"""Documents and answers tried out in the browser; verdicts there are not kept."""
