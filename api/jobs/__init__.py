"""Jobs: work that outlives the request that asked for it, and the process that began it."""

from spanproof.api.jobs.jobs import Jobs
from spanproof.api.jobs.kinds import KINDS, Kind, ProgressCall
from spanproof.api.jobs.records import Job, JobPage, JobProblem, JobState, Progress

__all__ = [
    "KINDS",
    "Job",
    "JobPage",
    "JobProblem",
    "JobState",
    "Jobs",
    "Kind",
    "Progress",
    "ProgressCall",
]
