class Refused(Exception):
    """The document's fault, or the request's, for one of a few reasons: trying again cannot help."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason
