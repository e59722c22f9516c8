"""Keeps links in PDFs."""

from com.sun.star.uno import Exception as UnoException

from office import properties

# The default character style, by its two names in the API.
DEFAULT_STYLES = ('', 'Standard', 'Default Style')
LINK_STYLE = 'Link without a look of its own'


def keep_unstyled_links(document):
    """Tries to keep all links, but ignores errors, because the text of a document is worth more."""
    try:
        _style_links(document)
    except UnoException:
        pass


def _style_links(document):
    """Gives links with the default character style another one: the PDF export skips them, as those of Google Docs
    (SwCursorShell::GetINetAttrs looks at all styles but the first)."""
    search = document.createSearchDescriptor()
    # Finds all text with this attribute, whatever its value.
    search.ValueSearch = False
    search.setSearchAttributes(properties({'HyperLinkURL': ''}))
    found = document.findAll(search)
    links = [link for link in map(found.getByIndex, range(found.Count)) if link.UnvisitedCharStyleName in DEFAULT_STYLES]
    if not links:
        return
    styles = document.StyleFamilies.getByName('CharacterStyles')
    # A document that an office has written may already contain the style.
    if not styles.hasByName(LINK_STYLE):
        styles.insertByName(LINK_STYLE, document.createInstance('com.sun.star.style.CharacterStyle'))
    for link in links:
        link.UnvisitedCharStyleName = link.VisitedCharStyleName = LINK_STYLE
