/** Closes the navigation menu on a link, Escape or a click elsewhere. */
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
