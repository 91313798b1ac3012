"""A feedback page on its way to Canvas: announced, handed over, confirmed; a comment may then name its id.

Nobody sees such a file before a comment names it, so that every step may be done again. The steps are those
of "Uploading Files" in Canvas's documentation. canvasapi's ``upload_comment`` takes them too, and then makes
a second comment out of the file, under the first attempt.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from canvasapi.util import combine_kwargs  # type: ignore[import-untyped]  # it has no types

from grader.lms.upload.canvas_http import PatientRequester, RefusedError
from grader.lms.upload.http import PlatformError

FILE = "feedback.html"
"""The name under which every student gets the page: nothing in it tells whose it is."""

_KIND = "text/html"


def store_page(canvas: PatientRequester, submission: str, page: bytes) -> int:
    """Put a page where a comment on that submission can take it from.

    Args:
        canvas: The connection.
        submission: The submission's address below ``/api/v1/``.
        page: The page.

    Returns:
        The file's id.

    Raises:
        RefusedError: Canvas will not have it.
        PlatformError: It failed for good.
    """
    address = f"{submission}/comments/files"
    announced = [("name", FILE), ("size", str(len(page))), ("content_type", _KIND)]
    answer = _answered(canvas.request("POST", address, harmless=True, _kwargs=announced))
    url, given = answer.get("upload_url"), answer.get("upload_params")
    if not isinstance(url, str) or not isinstance(given, dict):
        raise PlatformError(f"Canvas: POST {address}: the answer does not say where the file goes.")
    if _scheme(url) not in ("https", urlsplit(canvas.original_url).scheme):
        raise PlatformError(f"Canvas: POST {address}: the file would go over the network unprotected.")
    # The fields are signed: each goes along as it came.
    response = canvas.hand_over(url, combine_kwargs(**given), (FILE, page, _KIND))
    stored = _answered(_confirmed(canvas, response, url))
    if type(stored.get("id")) is not int or stored.get("size", len(page)) != len(page):
        raise RefusedError(f"Canvas: POST {address}: the file did not arrive whole.")
    number: int = stored["id"]
    return number


def _confirmed(canvas: PatientRequester, response: requests.Response, url: str) -> requests.Response:
    """What Canvas says of the file in the end: where the answer leads, else the answer itself."""
    location = response.headers.get("Location")
    if location is None:
        return response
    try:
        there = urljoin(url, location)
    except ValueError:
        raise PlatformError(f"Canvas: POST {urlsplit(url).path}: the answer leads to no address.") from None
    return canvas.request("GET", _url=there, use_auth=canvas.is_canvas(there))


def _scheme(url: str) -> str:
    """How an address begins; nothing for a text that is no address."""
    try:
        return urlsplit(url).scheme
    except ValueError:
        return ""


def _answered(response: requests.Response) -> dict[str, Any]:
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        answer = None
    return answer if isinstance(answer, dict) else {}
