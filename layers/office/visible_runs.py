"""Handles visible text with a hidden style, which the office's HTML export treats as hidden."""

FAMILIES = ('CharacterStyles', 'ParagraphStyles')


def hide_runs_directly(document):
    """Hides runs directly instead of through their styles. Returns False if no style in use hides text."""
    families = document.StyleFamilies
    hiding_styles = [
        style
        for family in map(families.getByName, FAMILIES)
        for style in map(family.getByName, family.ElementNames)
        if style.CharHidden and style.isInUse()
    ]
    if not hiding_styles:
        return False
    hidden = [run for text in _texts(document) for run in _runs(text) if run.CharHidden]
    for style in hiding_styles:
        style.CharHidden = False
    for run in hidden:
        run.CharHidden = True
    return True


def _texts(document):
    yield document.Text
    for notes in (document.Footnotes, document.Endnotes):
        for index in range(notes.Count):
            yield notes.getByIndex(index)
    for frame in document.TextFrames:
        yield frame
    for style in document.StyleFamilies.getByName('PageStyles'):
        if style.HeaderIsOn:
            yield style.HeaderText
        if style.FooterIsOn:
            yield style.FooterText


def _runs(text):
    for part in text:
        if hasattr(part, 'CellNames'):
            for name in part.CellNames:
                yield from _runs(part.getCellByName(name))
        else:
            yield from part
