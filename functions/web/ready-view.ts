import { type Format, optionsOf, Problem, problemOf } from './api.ts'
import { type Catalogue, likelyTargets } from './catalogue.ts'
import { element, icon, newElementId } from './element.ts'
import { type OptionForm, optionForm } from './option-form.ts'
import { targetPicker } from './target-picker.ts'

export interface ReadyView {
  readonly element: HTMLElement
  readonly targets: readonly Format[]
  setTarget(target: Format): void
  /** Says above the form why it is there again. */
  tell(notice: Problem | string | undefined): void
  /** Undefined when nothing is chosen or an option is refused; the form shows which. */
  wish(): { readonly targetFormat: string; readonly options: Readonly<Record<string, unknown>> } | undefined
}

/** A file that waits for its target. The view stays with the card, so that a failure loses nothing of it. */
export function readyView(props: {
  readonly source: Format | undefined
  readonly catalogue: Catalogue
  readonly preferred: string | undefined
  readonly onConvert: () => void
  readonly onTarget: (target: Format) => void
}): ReadyView {
  const { source, catalogue } = props
  const targets = catalogue.targetsOf(source)
  const chips = element('div', { class: 'chips' })
  const notice = element('div', { class: 'notices' })
  const options = element('div')
  const convert = element('button', { type: 'submit', class: 'button primary', 'data-primary': true })
  const group = newElementId('target')
  let shown = likelyTargets(source, targets)
  let target: Format | undefined
  let form: OptionForm | undefined

  const tell = (text: Problem | string | undefined) =>
    notice.replaceChildren(...(text ? [noticeOf(text)] : []))
  const showOptions = async (from: Format, to: Format) => {
    options.replaceChildren()
    form = undefined
    try {
      const loaded = optionForm(await optionsOf(from.id, to.id))
      // The user may have gone on to another target meanwhile.
      if (target !== to) return
      form = loaded
      options.replaceChildren(loaded.element)
    } catch (error) {
      if (target === to)
        options.replaceChildren(retryLine(problemOf(error), () => void showOptions(from, to)))
    }
  }
  const choose = (chosen: Format) => {
    if (!targets.includes(chosen)) return
    if (!shown.includes(chosen)) {
      shown = [...shown, chosen]
      chips.append(chipOf(chosen, group, choose))
    }
    for (const radio of chips.querySelectorAll('input')) radio.checked = radio.value === chosen.id
    if (target === chosen) return
    target = chosen
    tell(undefined)
    convert.textContent = `Convert to ${chosen.id.toUpperCase()}`
    if (source) void showOptions(source, chosen)
    props.onTarget(chosen)
  }

  chips.append(...shown.map((format) => chipOf(format, group, choose)))
  convert.textContent = 'Convert'
  const choosePicked = (format: Format) => {
    choose(format)
    convert.focus()
  }
  const view = element(
    'form',
    { class: 'ready', novalidate: true, onsubmit: (event) => submit(event, props.onConvert) },
    notice,
    element(
      'fieldset',
      {},
      element('legend', {}, 'Convert to'),
      chips,
      targetPicker({
        label: 'All formats that it can become',
        placeholder: `Search ${targets.length} formats`,
        targets,
        onChoose: choosePicked,
      }),
    ),
    options,
    element('div', { class: 'actions' }, convert),
  )
  if (targets.length === 0) view.replaceChildren(hopeless(source))
  const first = targets.find(({ id }) => id === props.preferred) ?? shown[0]
  if (first && source) choose(first)

  return {
    element: view,
    targets,
    setTarget: choose,
    tell,
    wish: () => {
      if (!target) tell(new Problem('NO_TARGET', 'Choose what it should become first.'))
      const values = form ? form.values() : {}
      return target && values ? { targetFormat: target.id, options: values } : undefined
    },
  }
}

function submit(event: Event, onConvert: () => void): void {
  event.preventDefault()
  onConvert()
}

function chipOf(format: Format, group: string, choose: (format: Format) => void): HTMLElement {
  const radio = element('input', {
    type: 'radio',
    name: group,
    value: format.id,
    onchange: () => choose(format),
  })
  return element(
    'label',
    { class: 'chip', title: format.name },
    radio,
    element('span', {}, format.id.toUpperCase()),
  )
}

export function noticeOf(text: Problem | string): HTMLElement {
  if (typeof text === 'string') return element('p', { class: 'notice' }, text)
  return element(
    'p',
    { class: 'notice problem', role: 'alert', 'data-code': text.code },
    icon('warning'),
    element('span', {}, text.message),
  )
}

const hopeless = (source: Format | undefined) =>
  element(
    'p',
    { class: 'notice' },
    `${source?.name ?? 'This kind of file'} can be made here, but not be turned into anything else.`,
  )

function retryLine(problem: Problem, onRetry: () => void): HTMLElement {
  const words = `The options could not be loaded. ${problem.message}`
  return element(
    'p',
    { class: 'notice' },
    `${words} `,
    element('button', { type: 'button', class: 'link', onclick: onRetry }, 'Try again'),
  )
}
