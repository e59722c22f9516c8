/** Closes the navigation menu on a link, Escape or a click elsewhere. */
export function closeMenu(): void {
  const findOpenMenu = () => document.querySelector<HTMLDetailsElement>('.menu[open]')
  document.addEventListener('click', ({ target }) => {
    const openMenu = findOpenMenu()
    if (!openMenu || !(target instanceof Element)) return
    if (!openMenu.contains(target) || target.closest('a, button')) openMenu.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    const openMenu = findOpenMenu()
    if (key !== 'Escape' || !openMenu) return
    openMenu.open = false
    openMenu.querySelector('summary')?.focus()
  })
}
