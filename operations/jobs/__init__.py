"""Jobs: work that outlives the request that asked for it, and the process that began it."""

from spanproof.operations.jobs.kinds import KINDS, Kind, ProgressCall
from spanproof.operations.jobs.records import Job, JobPage, JobProblem, JobState, Progress
from spanproof.operations.jobs.tenant_jobs import Jobs

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
