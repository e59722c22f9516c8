def scrub(path, name):
    pass
