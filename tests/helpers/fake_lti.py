"""A platform's Assignment and Grade Services: tokens expire, times must grow, comments pile up."""

import json
import time
from datetime import datetime

import jwt

from helpers.fake_server import Answer, FakeServer

CLIENT = "tool-client-1"
LINE_ITEM = "/mod/lti/services.php/2/lineitems/5/lineitem"
QUERY = "type_id=1"
SCOPES = {
    "https://purl.imsglobal.org/spec/lti-ags/scope/score",
    "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly",
}


class FakeLti(FakeServer):
    """One line item; ``known`` are the users that the platform knows by id."""

    def __init__(self, public_key: str, *known: str) -> None:
        super().__init__()
        self.public_key = public_key
        self.known = known
        self.results: dict[str, dict] = {}
        self.comments: dict[str, list[str]] = {}
        self.maximum = 20.0
        self.lifetime: object = 3600
        self.page = 100
        self.elsewhere = ""
        self.behind = 0.0  # seconds by which its clock is behind
        self.granted: str | None = None  # the scopes that it says it grants; None: it says nothing
        self.overridden: dict[str, float] = {}  # set by hand in the gradebook: what is posted changes nothing
        self._tokens: list[str] = []
        self._used: set[str] = set()

    @property
    def line_item(self) -> str:
        """The line item's address, with a query."""
        return f"{self.url}{LINE_ITEM}?{QUERY}"

    def expire_tokens(self) -> None:
        """Every token given until now is refused from here on."""
        self._tokens.clear()

    def handle(self, request):
        """Act on a request."""
        if request.path == "/mod/lti/token.php":
            return self._token(request)
        if request.headers.get("authorization", "").removeprefix("Bearer ") not in self._tokens:
            return Answer({"error": "invalid_token"}, 401)
        if ("type_id", "1") not in request.query:
            return Answer(b"Unknown type", 404)
        if request.path == f"{LINE_ITEM}/results" and request.method == "GET":
            return self._results(request)
        if request.path == f"{LINE_ITEM}/scores" and request.method == "POST":
            return self._score(request)
        return Answer(b"No handler found", 404)

    def _token(self, request):
        form = request.form
        assert form["grant_type"] == "client_credentials"
        assert form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        try:
            claims = jwt.decode(
                form["client_assertion"],
                self.public_key,
                algorithms=["RS256"],
                audience=f"{self.url}/mod/lti/token.php",
                options={"require": ["iss", "sub", "aud", "iat", "exp", "jti"]},
            )
            if claims["iat"] > time.time() - self.behind:
                return Answer({"error": "invalid_client"}, 400)
        except jwt.PyJWTError:
            return Answer({"error": "invalid_client"}, 400)
        if claims["iss"] != CLIENT or claims["sub"] != CLIENT:
            return Answer({"error": "invalid_client"}, 400)
        assert set(form["scope"].split()) == SCOPES
        assert claims["jti"] not in self._used, "a request for a token is taken only once"
        self._used.add(claims["jti"])
        self._tokens.append(f"lti-secret-{len(self.requests)}")
        answer = {"access_token": self._tokens[-1], "token_type": "Bearer", "expires_in": self.lifetime}
        return Answer(answer if self.granted is None else {**answer, "scope": self.granted})

    def _results(self, request):
        assert request.headers["accept"] == "application/vnd.ims.lis.v2.resultcontainer+json"
        start = int(dict(request.query).get("from", 0))
        users = sorted(self.results)
        shown = [
            {
                "id": f"{self.url}{LINE_ITEM}/results/{user}",
                "userId": user,
                "resultScore": self.results[user]["score"],
                "resultMaximum": self.maximum,
            }
            for user in users[start : start + self.page]
        ]
        there = self.elsewhere or self.url
        link = f'<{there}{LINE_ITEM}/results?{QUERY}&from={start + self.page}>; rel="next"'
        return Answer(shown, headers={"Link": link} if start + self.page < len(users) else {})

    def _score(self, request):
        assert request.headers["content-type"] == "application/vnd.ims.lis.v1.score+json"
        body = json.loads(request.body)
        if body["userId"] not in self.known:
            return Answer(b"No such user", 404)
        moment = datetime.fromisoformat(body["timestamp"])
        assert moment.tzinfo is not None
        stamp = int(moment.timestamp())
        last = self.results.get(body["userId"])
        if last and stamp <= last["stamp"]:
            return Answer(b"Refusing score with an earlier timestamp", 409)
        assert body["https://canvas.instructure.com/lti/submission"] == {"new_submission": False}
        assert body["activityProgress"] == "Completed"
        done = body["gradingProgress"] == "FullyGraded"
        given = self.overridden.get(body["userId"])
        score = (
            given
            if given is not None
            else body["scoreGiven"] * self.maximum / body["scoreMaximum"]
            if done
            else None
        )
        self.results[body["userId"]] = {"score": score, "stamp": stamp}
        if "comment" in body:
            self.comments.setdefault(body["userId"], []).append(body["comment"])
        return Answer(b"")
