/** Texts of the option fields; labels and descriptions of the options come from the service. */
export default {
  moreOptions: 'Advanced',
  automatic: 'Automatic',
  yes: 'Yes',
  no: 'No',
  customNumber: 'Custom',
  sliderOf: (label: string) => `${label}, slider`,
  showPassword: 'Show password',
  colorOf: (label: string) => `${label}, color picker`,
  between: (min: number, max: number) => `Enter a number from ${min} to ${max}.`,
  atLeast: (min: number) => `Enter a number of at least ${min}.`,
  atMost: (max: number) => `Enter a number of at most ${max}.`,
  notAnInteger: 'Enter a whole number.',
  notANumber: 'Enter a number.',
  invalidValue: 'Please check this value.',
  // File sizes
  sizeUnit: 'Unit of the size',
  sizesOf: (originalSize: string) => `Suggested sizes for this ${originalSize} file`,
  atMostSize: (size: string) => `up to ${size}`,
  // Languages
  searchLanguages: 'Search languages',
  removeLanguage: (name: string) => `Remove ${name}`,
  noLanguage: (typedText: string) => `No language called “${typedText}”.`,
  maxLanguages: (max: number) => `You can choose up to ${max} languages.`,
  // Paper
  customSize: 'Custom size',
  paperWidth: 'Paper width',
  paperHeight: 'Paper height',
  paperUnit: 'Paper unit',
  // Pages and trimming
  pickPages: 'Pick pages',
  trim: 'Trim',
  startHere: 'Start here',
  endHere: 'End here',
  useThisFrame: 'Use this frame',
  playSelection: 'Play selection',
  selection: (start: string, end: string, length: string) => `${start} to ${end}, ${length}`,
}
