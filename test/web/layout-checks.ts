/** These functions run in the page via `page.evaluate`, so each must be self-contained. */

/** Texts with a contrast to their background below WCAG AA: 4.5, or 3 for large text. */
export function findLowContrastTexts(): string[] {
  type Color = readonly [number, number, number, number]
  const parseColor = (text: string): Color => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = text.match(/[\d.]+/g)?.map(Number) ?? []
    return [red, green, blue, alpha]
  }
  const blendOver = (top: Color, colorBelow: Color): Color => {
    const mixChannel = (at: 0 | 1 | 2) => top[at] * top[3] + colorBelow[at] * (1 - top[3])
    return [mixChannel(0), mixChannel(1), mixChannel(2), 1]
  }
  const getLuminance = ([red, green, blue]: Color) => {
    const toLinear = (value: number) =>
      value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
    return 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue)
  }
  const getBackground = (element: Element | null): Color => {
    if (!element) return [255, 255, 255, 1]
    const color = parseColor(getComputedStyle(element).backgroundColor)
    return color[3] === 1 ? color : blendOver(color, getBackground(element.parentElement))
  }
  const hasText = (element: Element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
  const foundProblems: string[] = []
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility() || !hasText(element)) continue
    const style = getComputedStyle(element)
    const back = getBackground(element)
    const [light = 1, dark = 0] = [
      getLuminance(blendOver(parseColor(style.color), back)),
      getLuminance(back),
    ].sort((a, b) => b - a)
    const ratio = (light + 0.05) / (dark + 0.05)
    const px = Number.parseFloat(style.fontSize)
    const isLarge = px >= 24 || (px >= 18.66 && Number(style.fontWeight) >= 700)
    if (ratio < (isLarge ? 3 : 4.5))
      foundProblems.push(`${ratio.toFixed(2)} "${element.textContent?.trim().slice(0, 40)}"`)
  }
  return foundProblems
}

/** Elements that overflow the window to the right, and controls smaller than `minPx`, which are hard to tap. */
export function findLayoutProblems(minPx: number): string[] {
  const problems: string[] = []
  const getName = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.className} "${element.textContent?.trim().slice(0, 30)}"`
  if (document.documentElement.scrollWidth > window.innerWidth) {
    const out = [...document.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > window.innerWidth + 1,
    )
    problems.push(`wider than the window: ${out.map(getName).join(', ')}`)
  }
  for (const control of document.querySelectorAll(
    'button, .button, .chip, input[type="text"], input[type="number"], select, summary',
  )) {
    if (!control.checkVisibility()) continue
    const { width, height } = control.getBoundingClientRect()
    if (width < minPx || height < minPx)
      problems.push(`${Math.round(width)} × ${Math.round(height)}: ${getName(control)}`)
  }
  return problems
}
