/** Closes the navigation menu on a link, Escape or a click elsewhere. */
export function closeMenu(): void {
  const menu = () => document.querySelector<HTMLDetailsElement>('.menu[open]')
  document.addEventListener('click', ({ target }) => {
    const openMenu = menu()
    if (!openMenu || !(target instanceof Element)) return
    if (!openMenu.contains(target) || target.closest('a, button')) openMenu.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    const openMenu = menu()
    if (key !== 'Escape' || !openMenu) return
    openMenu.open = false
    openMenu.querySelector('summary')?.focus()
  })
}
