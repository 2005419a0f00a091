"""Several people in one recording: their markers have names with a prefix, as in "Anna:LASI"."""

from __future__ import annotations

from manikin.errors import BadValue, listing, unknown_name
from manikin.motion.markers import SUBJECT, Markers


def subjects(markers: Markers) -> list[str]:
    """The subjects of the markers, in order; "" for names without a prefix."""
    return list(dict.fromkeys(name.rpartition(SUBJECT)[0] for name in markers.names))


def one_subject(markers: Markers, subject: str | None) -> Markers:
    """The markers of one subject, with names without the prefix.

    Raises:
        BadValue: there are several subjects, and none is chosen.
        UnknownName: there is no such subject.
    """
    found = subjects(markers)
    named = [name for name in found if name]
    if subject is None and len(named) > 1:
        raise BadValue(
            f"markers {markers.name!r} have {len(named)} subjects: {listing(named)}; choose one, as in "
            f"subject={named[0]!r}"
        )
    if subject is not None and subject not in found:
        raise unknown_name(f"markers {markers.name!r}", "subject", subject, named)
    # Markers without a prefix, such as those of a force plate, do not belong to a named subject.
    wanted = subject if subject is not None else (named[0] if named else "")
    own = [name for name in markers.names if name.rpartition(SUBJECT)[0] == wanted]
    if subject is None and len(found) > len(named):
        own = list(markers.names)
    if not named:
        return markers
    chosen = markers.subset(own)
    return chosen.replaced(names=[name.rpartition(SUBJECT)[2] for name in own])
