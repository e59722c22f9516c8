import type en from './en.ts'

const words: typeof en = {
  moreOptions: 'Mehr',
  automatic: 'Automatisch',
  yes: 'Ja',
  no: 'Nein',
  ownNumber: 'Eine Zahl',
  sliderOf: (label) => `${label}, Regler`,
  showPassword: 'Passwort zeigen',
  colorOf: (label) => `${label}, Auswahl`,
  between: (min, max) => `Erwartet wird eine Zahl von ${min} bis ${max}.`,
  atLeast: (min) => `Erwartet wird eine Zahl ab ${min}.`,
  atMost: (max) => `Erwartet wird eine Zahl bis ${max}.`,
  whole: 'Erwartet wird eine ganze Zahl.',
  aNumber: 'Erwartet wird eine Zahl.',
  notAsExpected: 'Erwartet wird, was der Hinweis sagt.',
  searchLanguages: 'Sprachen durchsuchen',
  without: (name) => `${name} entfernen`,
  noLanguage: (typed) => `Keine Sprache heißt „${typed}“.`,
  mostLanguages: (most) => `Mehr als ${most} auf einmal gehen nicht.`,
  ownSize: 'Eigene Größe',
  paperWidth: 'Breite des Papiers',
  paperHeight: 'Höhe des Papiers',
  paperUnit: 'Einheit des Papiers',
  trim: 'Ausschnitt der Aufnahme',
  startHere: 'Hier anfangen',
  endHere: 'Hier enden',
  takeThis: 'Diese Stelle nehmen',
  playPart: 'Ausschnitt abspielen',
  part: (start, end, length) => `${start} bis ${end}, ${length}`,
}

export default words
