"""Where the training pairs come from: repository and licence of each source that may be shipped."""

from __future__ import annotations

from typing import NamedTuple


class Origin(NamedTuple):
    """A public repository (or data set) and the licence that it states."""

    repository: str
    licence: str


_SUMMEDITS = Origin("salesforce/factualNLG, SummEdits", "Apache-2.0; third-party text")
_WICE = Origin("ryokamoi/wice", "ODC-By annotations; Wikipedia CC-BY-SA and Common Crawl text")
_NEGATION = Origin("mosharafhossain/negation-and-nli", "MIT")
_CONJNLI = Origin("swarnaHub/ConjNLI", "MIT over Wikipedia CC-BY-SA")
_CONTRACTNLI = Origin("stanfordnlp/contract-nli-bert, ContractNLI", "CC-BY-4.0")

ORIGINS: dict[str, Origin] = {
    "begin_cmu": Origin("google/BEGIN-dataset", "CC-BY-4.0"),
    "begin_tc": Origin("google/BEGIN-dataset", "CDLA-Sharing-1.0"),
    "begin_wow": Origin("google/BEGIN-dataset", "CC-BY-4.0"),
    "breaking_nli": Origin("BIU-NLP/Breaking_NLI", "CC-BY-SA-4.0"),
    "bump": Origin("dataminr-ai/BUMP", "MIT; CNN/DailyMail text"),
    "cad_nli": Origin(
        "acmi-lab/counterfactually-augmented-data", "Apache-2.0 over SNLI CC-BY-SA-4.0"
    ),
    "conjnli": _CONJNLI,
    "conjnli_auto": _CONJNLI,
    "contractnli_window": _CONTRACTNLI,
    "evidence_inference": Origin(
        "jayded/evidence-inference", "MIT; PubMed Central open-access text"
    ),
    "expertqa": Origin("chaitanyamalaviya/ExpertQA", "MIT; quoted web pages"),
    "factcg_cg2c_doc": Origin("derenlei/FactCG", "MIT; news text"),
    "fever_dev": Origin("asaakyan/covidfact, FEVER dev", "CC-BY-SA-3.0 (FEVER, Wikipedia)"),
    "fever_symmetric": Origin("TalSchuster/FeverSymmetric", "CC-BY-SA-3.0"),
    "fm2": Origin("google-research/fool-me-twice", "Apache-2.0 over Wikipedia CC-BY-SA"),
    "help_conj": Origin("verypluming/HELP", "CC-BY-SA-4.0"),
    "infotabs": Origin("infotabs/infotabs", "Apache-2.0 over Wikipedia"),
    "mnli_dev_matched": Origin(
        "anthonywchen/generative-nli, MultiNLI matched dev", "OANC, CC-BY-3.0, CC-BY-SA-3.0"
    ),
    "negation_rte": _NEGATION,
    "negation_snli": _NEGATION,
    "paws": Origin(
        "wuhjie/few_shots_that_matters_wu, PAWS-X", "PAWS licence (any use, attribution)"
    ),
    "snli_dev": Origin("anthonywchen/generative-nli, SNLI dev", "CC-BY-SA-4.0"),
    "snli_train18k": Origin("academic-repository/cat, SNLI train", "CC-BY-SA-4.0"),
    "summedits_news": _SUMMEDITS,
    "summedits_podcast": _SUMMEDITS,
    "summedits_sales_call": _SUMMEDITS,
    "summedits_scitldr": _SUMMEDITS,
    "synth_contract": Origin(f"{_CONTRACTNLI.repository}; rule-made pairs", _CONTRACTNLI.licence),
    "synth_summedits": Origin(f"{_SUMMEDITS.repository}; rule-made pairs", _SUMMEDITS.licence),
    "wice_claim": _WICE,
    "wice_subclaim_partial": _WICE,
}
