"""Unicode characters of the symbol fonts of Windows."""

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
WINGDINGS_3 = _table(0x70, '▲ ▼ △ ▽ ◀ ▶ ◁ ▷')
FONTS = {'Wingdings': WINGDINGS, 'Wingdings 2': WINGDINGS_2, 'Wingdings 3': WINGDINGS_3,
         'Webdings': WEBDINGS, 'Symbol': SYMBOL}


def to_unicode(text, symbols):
    """Replaces the characters of a symbol font, by their code or in the private-use area; others stay."""
    return ''.join(symbols.get(ord(one) & 0xFF, one) if ord(one) < 0x100 or PRIVATE <= ord(one) < PRIVATE + 0x100 else one
                   for one in text)
