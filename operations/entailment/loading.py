"""Settings → the entailment model: the embedded one, a folder's, a registered or another package's.

A tenant shares the default tenant's model under a calibration and with a cache of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from spanproof.core.ports import EntailmentModel
    from spanproof.operations.settings import Settings
    from spanproof.verifier.entailment.calibration.store import NamedCalibration
    from spanproof.verifier.entailment.model import LocalEntailment


def load_entailment(settings: Settings) -> EntailmentModel:
    """The model that the settings name, loaded; raise ModelError or SettingsError."""
    from spanproof.verifier.entailment import load_model
    from spanproof.verifier.entailment.models.registered import check_loaded, find_folder
    from spanproof.verifier.entailment.plugins import find_entry_name, load_entry

    chosen = settings.model
    entry = None if chosen is None else find_entry_name(str(chosen))
    if entry is not None:
        if settings.calibration is not None:
            msg = f"Expected no SPANPROOF_CALIBRATION for {chosen}, which brings its own."
            raise SettingsError(msg, hint="Unset SPANPROOF_CALIBRATION.")
        return load_entry(entry)
    models = settings.home / "models"
    folder, record = (None, None) if chosen is None else find_folder(chosen, models / "registered")
    loaded = load_model(
        folder,
        runtime=settings.runtime,
        device=settings.device,
        url=settings.model_url,
        cache=models,
        calibration=to_named_calibration(settings),
    )
    if record is not None:
        try:
            check_loaded(record, loaded.identity)
        except ModelError:
            loaded.close()
            raise
    return _with_cache(loaded, settings)


def share_entailment(fresh: EntailmentModel, settings: Settings) -> EntailmentModel:
    """Another tenant's model under this tenant's calibration, with this tenant's cache."""
    from spanproof.verifier.entailment.model import LocalEntailment

    if not isinstance(fresh, LocalEntailment):
        return _Shared(fresh)
    return _with_cache(fresh.share(to_named_calibration(settings)), settings)


class _Shared:
    """A model that its owner closes."""

    def __init__(self, model: EntailmentModel) -> None:
        self.identity = model.identity
        self.judge = model.judge
        self.confirm = model.confirm

    def close(self) -> None:
        """Leave it open: its owner closes it."""


def to_named_calibration(settings: Settings) -> NamedCalibration | None:
    """The calibration that the settings name; None: the model's own."""
    from spanproof.verifier.entailment.calibration.store import NamedCalibration

    if settings.calibration is None:
        return None
    return NamedCalibration(folder=settings.home / "calibrations", name=settings.calibration)


def _with_cache(model: LocalEntailment, settings: Settings) -> EntailmentModel:
    entries = settings.cache_entries
    # What may answer otherwise the next time is asked each time.
    if not entries or not model.identity.replayable:
        return model
    from spanproof.store.model_cache import Readings
    from spanproof.verifier.entailment.cache import CachedEntailment

    store = Readings(settings.home, entries=entries)
    return CachedEntailment(model, store=store, entries=entries)
