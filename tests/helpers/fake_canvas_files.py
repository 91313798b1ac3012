"""Files on Canvas: announced, handed over to a storage with a signed form, and confirmed."""

import email
from dataclasses import dataclass

from helpers.fake_server import Answer, Request


@dataclass
class File:
    """One file: the name it was announced with and sent under, its bytes, and whether it can be used."""

    name: str
    size: int
    sent_as: str = ""
    body: bytes = b""
    done: bool = False


class CanvasFiles:
    """All files by number in ``stored``.

    ``storage`` tells how an upload ends: ``redirect`` to Canvas, where it must be confirmed, ``created`` with
    an address there, or ``plain`` with the file's data at once. ``address`` is where files go, unless here.
    """

    def __init__(self) -> None:
        self.stored: dict[int, File] = {}
        self.storage = "redirect"
        self.address = ""

    def announce(self, form: dict[str, str], url: str) -> Answer:
        """Promise to take a file."""
        assert set(form) == {"name", "size", "content_type"}
        number = 7000 + len(self.stored)
        self.stored[number] = File(form["name"], int(form["size"]))
        return Answer({"upload_url": self.address or f"{url}/storage", "upload_params": _signed(number)})

    def store(self, request: Request, url: str) -> Answer:
        """Take a file from a form as it was promised: without a token, and with the file at its end."""
        head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
        *fields, last = email.message_from_bytes(head + request.body).get_payload()
        given = {_name(part): part.get_payload() for part in fields}
        number = int(given["key"].partition("/")[2])
        if "authorization" in request.headers or given != _signed(number) or _name(last) != "file":
            return Answer(b"<Error>SignatureDoesNotMatch</Error>", 403)
        file = self.stored[number]
        file.body, file.sent_as = last.get_payload(decode=True), last.get_filename()
        there = {"Location": f"{url}/api/v1/files/{number}/create_success?uuid=u{number}"}
        if self.storage == "redirect":
            return Answer(b"", 303, there)
        file.done = True
        return Answer(self.shown(number), 201, there if self.storage == "created" else {})

    def confirm(self, number: int, request: Request) -> Answer:
        """Make a file usable."""
        assert request.query == [("uuid", f"u{number}")]
        self.stored[number].done = True
        return Answer(self.shown(number))

    def shown(self, number: int) -> dict[str, object]:
        """A file as Canvas describes it."""
        file = self.stored[number]
        return {"id": number, "display_name": file.name, "content-type": "text/html", "size": len(file.body)}


def _signed(number: int) -> dict[str, str]:
    return {"key": f"account/{number}", "Policy": "p+=/", "Signature": f"sign {number}"}


def _name(part: email.message.Message) -> object:
    return part.get_param("name", header="content-disposition")
