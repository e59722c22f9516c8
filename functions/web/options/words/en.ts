/** What fields of options say besides what the service says of them. */
export default {
  moreOptions: 'More',
  automatic: 'Automatic',
  yes: 'Yes',
  no: 'No',
  ownNumber: 'A number',
  sliderOf: (label: string) => `${label}, slider`,
  showPassword: 'Show the password',
  colorOf: (label: string) => `${label}, chooser`,
  between: (min: number, max: number) => `Expected a number from ${min} to ${max}.`,
  atLeast: (min: number) => `Expected a number of at least ${min}.`,
  atMost: (max: number) => `Expected a number of at most ${max}.`,
  whole: 'Expected a whole number.',
  aNumber: 'Expected a number.',
  notAsExpected: 'Expected what the hint says.',
  // Languages
  searchLanguages: 'Search languages',
  without: (name: string) => `${name}: remove`,
  noLanguage: (typed: string) => `No language is called “${typed}”.`,
  mostLanguages: (most: number) => `${most} are the most at a time.`,
  // Paper
  ownSize: 'A size of its own',
  paperWidth: 'Width of the paper',
  paperHeight: 'Height of the paper',
  paperUnit: 'Unit of the paper',
  // Trim
  trim: 'Part of the recording',
  startHere: 'Start here',
  endHere: 'End here',
  takeThis: 'Take this moment',
  playPart: 'Play the part',
  part: (start: string, end: string, length: string) => `${start} to ${end}, ${length}`,
}
