import type { ComponentChildren } from 'preact'
import {
  languageNames,
  languages,
  menuSections,
  type SectionId,
  sectionIds,
  sectionPaths,
  themes,
  unlistedSections,
} from '../section-paths.ts'
import words from '../words/en.ts'
import { language } from './language.ts'
import { isSheetOpen } from './shortcuts.ts'
import { chooseTheme, chosenTheme } from './theme.ts'

const navSections = sectionIds.filter(
  (section) => !menuSections.includes(section) && !unlistedSections.includes(section),
)
const menuLinks = sectionIds.filter((section) => menuSections.includes(section))

/** Header and navigation around the current section. It has no hooks, because it is also rendered on the server. */
export function Shell(props: {
  readonly section: SectionId | undefined
  readonly children: ComponentChildren
}) {
  return (
    <>
      <a class="skip" href="#main">
        {words.skip}
      </a>
      <header class="site">
        <a class="brand" href="/">
          <Logo />
          <bdi>Mutabor</bdi>
        </a>
        <nav aria-label={words.site}>
          {navSections.map((section) => (
            <SectionLink key={section} section={section} current={props.section} />
          ))}
          <details class="menu">
            <summary data-current={menuLinks.some((section) => section === props.section) || undefined}>
              {words.menu}
            </summary>
            <div>
              {menuLinks.map((section) => (
                <SectionLink key={section} section={section} current={props.section} />
              ))}
              <div class="menu-languages">
                {languages
                  .filter((id) => id !== language)
                  .map((id) => (
                    <a key={id} href={`?lang=${id}`} hreflang={id} lang={id}>
                      {languageNames[id]}
                    </a>
                  ))}
              </div>
              <button type="button" class="link" onClick={() => (isSheetOpen.value = true)}>
                {words.shortcuts}
              </button>
              <ThemeSwitch />
            </div>
          </details>
        </nav>
      </header>
      <main id="main" data-place={props.section}>
        {props.children}
      </main>
      <p id="said" class="visually-hidden" role="status" aria-live="polite" />
    </>
  )
}

const ThemeSwitch = () => (
  <fieldset class="themes">
    <legend>{words.theme}</legend>
    {themes.map((theme) => (
      <label key={theme}>
        <input
          type="radio"
          name="theme"
          value={theme}
          // Hydration does not set properties, and no radio button is checked in the server's document.
          ref={(radio) => {
            if (radio) radio.checked = chosenTheme.value === theme
          }}
          onChange={() => chooseTheme(theme)}
        />
        {words.themes[theme]}
      </label>
    ))}
  </fieldset>
)

const SectionLink = (props: { readonly section: SectionId; readonly current: SectionId | undefined }) => (
  <a
    href={sectionPaths[props.section][0]}
    aria-current={props.section === props.current ? 'page' : undefined}
  >
    {words.sections[props.section]}
  </a>
)

const Logo = () => (
  <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <path
      d="M13 24H7a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v5"
      fill="none"
      stroke="currentColor"
      stroke-width="2.6"
      stroke-linecap="round"
    />
    <circle cx="21" cy="21" r="8.5" fill="currentColor" />
  </svg>
)
