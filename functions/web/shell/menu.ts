/** The menu of the navigation closes when it is left: by a link, by Escape, by a press elsewhere. */
export function closeMenu(): void {
  const menu = () => document.querySelector<HTMLDetailsElement>('.menu[open]')
  document.addEventListener('click', ({ target }) => {
    const open = menu()
    if (!open || !(target instanceof Element)) return
    if (!open.contains(target) || target.closest('a')) open.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    const open = menu()
    if (key !== 'Escape' || !open) return
    open.open = false
    open.querySelector('summary')?.focus()
  })
}
