import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  moreOptions: 'Avançado',
  automatic: 'Automático',
  yes: 'Sim',
  no: 'Não',
  customNumber: 'Personalizado',
  sliderOf: (label) => `${label}, controle deslizante`,
  showPassword: 'Mostrar senha',
  colorOf: (label) => `${label}, seletor de cor`,
  between: (min, max) => `Digite um número de ${min} a ${max}.`,
  atLeast: (min) => `Digite um número a partir de ${min}.`,
  atMost: (max) => `Digite um número até ${max}.`,
  notAnInteger: 'Digite um número inteiro.',
  notANumber: 'Digite um número.',
  invalidValue: 'Verifique este valor.',
  sizeUnit: 'Unidade do tamanho',
  sizesOf: (originalSize) => `Tamanhos para este arquivo de ${originalSize}`,
  atMostSize: (size) => `até ${size}`,
  searchLanguages: 'Buscar idiomas',
  removeLanguage: (name) => `Remover ${name}`,
  noLanguage: (typedText) => `Nenhum idioma chamado “${typedText}”.`,
  maxLanguages: (max) => `É possível escolher até ${max} idiomas.`,
  customSize: 'Tamanho personalizado',
  paperWidth: 'Largura do papel',
  paperHeight: 'Altura do papel',
  paperUnit: 'Unidade do papel',
  pickPages: 'Escolher páginas',
  trim: 'Cortar',
  startHere: 'Começar aqui',
  endHere: 'Terminar aqui',
  useThisFrame: 'Usar este quadro',
  playSelection: 'Reproduzir seleção',
  selection: (start, end, length) => `${start} a ${end}, ${length}`,
}

export default words
