"""Writes characters of symbol fonts, the states of form fields and incomplete formulas so that converters keep them."""

import xml.etree.ElementTree as ET

M = '{http://schemas.openxmlformats.org/officeDocument/2006/math}'
# Formula elements whose base (`m:e`) is required (22.1.2): converters omit elements without it.
WITH_BASE = ('nary', 'sSup', 'sSub', 'sSubSup', 'sPre', 'rad', 'acc', 'bar', 'func', 'limLow', 'limUpp', 'groupChr')
CHECKED, UNCHECKED = '\u2612', '\u2610'
# Start of the private-use characters that represent the characters of a symbol font.
PRIVATE = 0xF000


def _table(first, characters):
    return {first + offset: character for offset, character in enumerate(characters.split())}


WINGDINGS = {
    **_table(0x21, '✏ ✂ ✁ 👓 🔔 📖 🕯 ☎ ✆ ✉ 📨 📪 📫 📬 📭 📁 📂 📄 🗏 🗐 🗄 ⌛ 🖮 🖰 🖲 🖳 🖴 💾 🖬 ✇ ✍ 🖎 ✌ 👌 👍 👎 ☜ ☞'),
    **_table(0x47, '☝ ☟ ✋ ☺ 😐 ☹ 💣 ☠ 🏳 🏱 ✈ ☼ 💧 ❄ 🕆 ✞ 🕈 ✠ ✡ ☪ ☯ ॐ ☸ ♈ ♉ ♊ ♋ ♌ ♍ ♎ ♏ ♐ ♑ ♒ ♓'),
    **_table(0x6A, '& & ● ❍ ■ □ ❐ ❑ ❒ ⬧ ⧫ ◆ ❖ ⬥ ⌧ ⮹ ⌘ ❀ ✿ ❝ ❞'),
    **_table(0x80, '⓪ ① ② ③ ④ ⑤ ⑥ ⑦ ⑧ ⑨ ⑩ ⓿ ❶ ❷ ❸ ❹ ❺ ❻ ❼ ❽ ❾ ❿'),
    **_table(0x9E, '· • ▪ ○ ○ ○ ◉ ◎ ○ ▪ □ ▲ ✦ ★ ✶ ✴ ✹ ✵'),
    **_table(0xD5, '⌫ ⌦'),
    **_table(0xDF, '← → ↑ ↓ ↖ ↗ ↙ ↘ ← ➔ ↑ ↓ ↖ ↗ ↙ ↘ ⇦ ⇨ ⇧ ⇩ ⬄ ⇳ ⬁ ⬀ ⬃ ⬂ ▭ ▫ ✗ ✓ ☒ ☑'),
}
WINGDINGS_2 = {
    **_table(0x4F, '✗ ✓ ☒ ☑ ☒ ☒'),
    **_table(0xA3, '□'),
}
WEBDINGS = {**_table(0x61, '✔'), **_table(0x72, '✖')}
SYMBOL = {
    **_table(0x61, 'α β χ δ ε φ γ η ι ϕ κ λ μ ν ο π θ ρ σ τ υ ϖ ω ξ ψ ζ'),
    **_table(0x41, 'Α Β Χ Δ Ε Φ Γ Η Ι ϑ Κ Λ Μ Ν Ο Π Θ Ρ Σ Τ Υ ς Ω Ξ Ψ Ζ'),
    **_table(0xA3, '≤ ⁄ ∞ ƒ ♣ ♦ ♥ ♠ ↔ ← ↑ → ↓ ° ± ″ ≥ × ∝ ∂ • ÷ ≠ ≡ ≈ …'),
    **_table(0xC4, '⊗ ⊕ ∅ ∩ ∪ ⊃ ⊇ ⊄ ⊂ ⊆ ∈ ∉ ∠ ∇ ® © ™ ∏ √ ⋅ ¬ ∧ ∨ ⇔ ⇐ ⇑ ⇒ ⇓'),
    **{0x22: '∀', 0x24: '∃', 0x27: '∋', 0x40: '≅', 0x5C: '∴', 0x5E: '⊥', 0xE5: '∑', 0xF2: '∫', 0xB7: '•'},
}
FONTS = {'wingdings': WINGDINGS, 'wingdings 2': WINGDINGS_2, 'webdings': WEBDINGS, 'symbol': SYMBOL}


def write_symbols(root, w):
    """Replaces characters of symbol fonts by Unicode characters, in `w:sym` and in runs with such a font."""
    for run in root.iter(f'{w}r'):
        fonts = run.find(f'{w}rPr/{w}rFonts')
        table = None if fonts is None else FONTS.get(fonts.get(f'{w}ascii', '').lower())
        for place, child in enumerate(list(run)):
            if child.tag == f'{w}sym':
                symbols = FONTS.get(child.get(f'{w}font', '').lower())
                code = child.get(f'{w}char', '')
                if symbols is not None and len(code) <= 4 and (character := _symbol(code, symbols)):
                    run[place] = ET.Element(f'{w}t')
                    run[place].text = character
            elif child.tag == f'{w}t' and table is not None and child.text:
                child.text = ''.join(table.get(ord(one) & 0xFF if ord(one) >= PRIVATE else ord(one), one)
                                     if ord(one) < 0x100 or PRIVATE <= ord(one) < PRIVATE + 0x100 else one
                                     for one in child.text)


def _symbol(code, symbols):
    try:
        return symbols.get(int(code, 16) & 0xFF)
    except ValueError:
        return None


def write_form_fields(root, w):
    """Writes the states of check boxes and the selected values of lists (17.16.5.20, 17.16.9) before their fields."""
    for parent in list(root.iter()):
        for child in list(parent):
            data = child.find(f'{w}fldChar/{w}ffData') if child.tag == f'{w}r' else None
            text = None if data is None else _state(data, w)
            if text is None:
                continue
            run = ET.Element(f'{w}r')
            ET.SubElement(run, f'{w}t').text = text
            parent.insert(list(parent).index(child), run)


def _state(data, w):
    box, choices = data.find(f'{w}checkBox'), data.find(f'{w}ddList')
    if box is not None:
        state = box.find(f'{w}checked')
        state = box.find(f'{w}default') if state is None else state
        is_on = state is not None and state.get(f'{w}val', '1') not in ('0', 'false', 'off')
        return CHECKED if is_on else UNCHECKED
    if choices is None:
        return None
    entries = [entry.get(f'{w}val', '') for entry in choices.findall(f'{w}listEntry')]
    chosen = choices.find(f'{w}result')
    chosen = choices.find(f'{w}default') if chosen is None else chosen
    index = '0' if chosen is None else chosen.get(f'{w}val', '0')
    return entries[int(index)] if index.isdecimal() and len(index) < 5 and int(index) < len(entries) else None


def complete_formulas(root):
    for name in WITH_BASE:
        for element in root.iter(f'{M}{name}'):
            if element.find(f'{M}e') is None:
                ET.SubElement(element, f'{M}e')
