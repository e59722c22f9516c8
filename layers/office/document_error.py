class DocumentError(Exception):
    """The document or the request is invalid, so a retry cannot help. `reason` is one of those in bridge.ts."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason
