import type { Format } from './api.ts'
import { categoryNames } from './catalogue.ts'
import { element, icon, newElementId } from './element.ts'

/**
 * A list of formats that narrows while one types: the combobox pattern of the ARIA Authoring Practices Guide
 * ("Editable Combobox With List Autocomplete"), its options grouped by category.
 */
export function targetPicker(props: {
  readonly label: string
  readonly placeholder: string
  readonly targets: readonly Format[]
  readonly onChoose: (format: Format) => void
}): HTMLElement {
  const listId = newElementId('formats')
  const labelId = newElementId('label')
  let options: readonly Row[] = []
  let active = -1

  const input = element('input', {
    type: 'text',
    role: 'combobox',
    class: 'picker-input',
    placeholder: props.placeholder,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    'aria-labelledby': labelId,
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': listId,
  })
  const list = element('div', {
    id: listId,
    role: 'listbox',
    class: 'picker-list',
    'aria-labelledby': labelId,
    hidden: true,
  })
  const none = element('p', { class: 'picker-none', role: 'status' })

  const isOpen = () => !list.hidden
  const activate = (at: number) => {
    active = at
    for (const [index, { item }] of options.entries())
      item.setAttribute('aria-selected', String(index === at))
    const item = options[at]?.item
    if (item) input.setAttribute('aria-activedescendant', item.id)
    else input.removeAttribute('aria-activedescendant')
    item?.scrollIntoView({ block: 'nearest' })
  }
  const open = () => {
    const found = byCategory(matching(props.targets, input.value))
    options = found.map((format) => ({ format, item: optionItem(format, () => choose(format)) }))
    list.replaceChildren(...grouped(options))
    none.textContent = found.length === 0 ? `It cannot become “${input.value.trim()}”.` : ''
    list.hidden = found.length === 0
    input.setAttribute('aria-expanded', String(!list.hidden))
    activate(input.value.trim() && found.length > 0 ? 0 : -1)
  }
  const close = () => {
    list.hidden = true
    none.textContent = ''
    input.setAttribute('aria-expanded', 'false')
    activate(-1)
  }
  const choose = (format: Format) => {
    input.value = ''
    close()
    props.onChoose(format)
  }

  const keys: Readonly<Record<string, () => boolean>> = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active < 0 ? options.length - 1 : active - 1),
    Home: () => isOpen() && move(0),
    End: () => isOpen() && move(options.length - 1),
    Enter: () => {
      const chosen = options[active]
      if (isOpen() && chosen) choose(chosen.format)
      // Text that names no format must not start the conversion to another one.
      return input.value !== '' || chosen !== undefined
    },
    Escape: () => {
      const hadSomething = isOpen() || input.value !== ''
      input.value = ''
      close()
      return hadSomething
    },
  }
  const move = (to: number) => {
    if (!isOpen()) open()
    if (options.length > 0) activate((to + options.length) % options.length)
    return true
  }
  input.addEventListener('keydown', (event) => {
    if (!event.isComposing && keys[event.key]?.()) event.preventDefault()
  })
  input.addEventListener('input', open)
  input.addEventListener('click', open)
  input.addEventListener('blur', close)
  // Otherwise a press on the list takes the focus from the field, which closes the list before the click arrives.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('mousedown', (event) => event.preventDefault())

  const label = element('span', { id: labelId, class: 'visually-hidden' }, props.label)
  return element('div', { class: 'picker' }, label, icon('search'), input, list, none)
}

/** What begins with the words typed comes before what only holds them. */
function matching(targets: readonly Format[], typed: string): readonly Format[] {
  const wanted = typed.trim().toLowerCase().replace(/^\./, '')
  if (!wanted) return targets
  const names = (format: Format) => [
    format.id,
    ...format.extensions,
    ...format.aliases,
    format.name.toLowerCase(),
  ]
  const rank = (format: Format) => {
    const all = names(format)
    if (all.includes(wanted)) return 0
    if (all.some((name) => name.startsWith(wanted))) return 1
    return all.some((name) => name.includes(wanted)) ? 2 : 3
  }
  const ranked = targets.map((format) => ({ format, rank: rank(format) })).filter((row) => row.rank < 3)
  return ranked.sort((a, b) => a.rank - b.rank).map(({ format }) => format)
}

function optionItem(format: Format, onClick: () => void): HTMLElement {
  const id = newElementId('format')
  const name = element('span', { class: 'picker-name' }, format.name)
  return element(
    'div',
    { id, role: 'option', class: 'picker-option', 'aria-selected': 'false', onclick: onClick },
    element('span', { class: 'picker-id' }, format.id.toUpperCase()),
    ' ',
    name,
  )
}

/** Categories in the order of their best match, so that the first of the list is the best of all. */
function byCategory(formats: readonly Format[]): readonly Format[] {
  return [...Map.groupBy(formats, ({ category }) => category).values()].flat()
}

interface Row {
  readonly format: Format
  readonly item: HTMLElement
}

function grouped(rows: readonly Row[]): HTMLElement[] {
  return [...Map.groupBy(rows, ({ format }) => format.category)].map(([category, members]) => {
    const id = newElementId('category')
    const title = element(
      'div',
      { id, class: 'picker-category', role: 'presentation' },
      categoryNames[category],
    )
    return element('div', { role: 'group', 'aria-labelledby': id }, title, ...members.map(({ item }) => item))
  })
}
