class DocumentError(Exception):
    """The document or the request is invalid, so a retry cannot help. `reason` is one that bridge.ts knows."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason
