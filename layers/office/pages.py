"""What happens to a document between loading and storing."""


def prepare(document, request):
    return {}
