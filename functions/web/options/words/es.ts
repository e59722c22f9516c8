import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  moreOptions: 'Avanzado',
  automatic: 'Automático',
  yes: 'Sí',
  no: 'No',
  customNumber: 'Personalizado',
  sliderOf: (label) => `${label}, control deslizante`,
  showPassword: 'Mostrar contraseña',
  colorOf: (label) => `${label}, selector de color`,
  between: (min, max) => `Introduzca un número de ${min} a ${max}.`,
  atLeast: (min) => `Introduzca un número no menor que ${min}.`,
  atMost: (max) => `Introduzca un número no mayor que ${max}.`,
  notAnInteger: 'Introduzca un número entero.',
  notANumber: 'Introduzca un número.',
  invalidValue: 'Compruebe este valor.',
  sizeUnit: 'Unidad del tamaño',
  sizesOf: (originalSize) => `Tamaños para este archivo de ${originalSize}`,
  atMostSize: (size) => `hasta ${size}`,
  searchLanguages: 'Buscar idiomas',
  removeLanguage: (name) => `Quitar ${name}`,
  noLanguage: (typedText) => `Ningún idioma se llama «${typedText}».`,
  maxLanguages: (max) => `Se pueden elegir hasta ${max} idiomas.`,
  customSize: 'Tamaño personalizado',
  paperWidth: 'Ancho del papel',
  paperHeight: 'Alto del papel',
  paperUnit: 'Unidad del papel',
  pickPages: 'Elegir páginas',
  trim: 'Recortar',
  startHere: 'Empezar aquí',
  endHere: 'Terminar aquí',
  useThisFrame: 'Usar este fotograma',
  playSelection: 'Reproducir la selección',
  selection: (start, end, length) => `de ${start} a ${end}, ${length}`,
}

export default words
