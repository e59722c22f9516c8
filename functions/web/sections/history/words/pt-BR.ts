import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('pt-BR')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Histórico',
  lead: 'As conversões, até expirarem.',
  state: 'Status',
  tag: 'Etiqueta',
  target: 'Formato',
  any: 'Qualquer',
  states: {
    pending: 'Aguardando arquivos',
    queued: 'Na fila',
    processing: 'Em andamento',
    completed: 'Concluído',
    failed: 'Com falha',
    cancelled: 'Cancelado',
    expired: 'Expirado',
  },
  taskStates: {
    pending: 'Aguardando',
    processing: 'Em andamento',
    completed: 'Concluída',
    failed: 'Com falha',
    cancelled: 'Cancelada',
  },
  job: 'Trabalho',
  created: 'Início',
  expires: 'Disponível até',
  result: 'Resultado',
  none: 'Ainda não há conversões.',
  older: 'Mais antigas',
  deleteChosen: (count) =>
    count === 1 ? 'Excluir este trabalho' : `Excluir ${plural(count, 'trabalho', 'trabalhos')}`,
  zip: 'Baixar como ZIP',
  noZip: 'Não foi possível criar o ZIP.',
  confirm: 'Esta ação não pode ser desfeita.',
  deleted: 'Excluído',
  restarted: 'Reiniciado',
  until: (time) => `Disponível até ${time}.`,
  tasks: 'Tarefas',
  task: 'Tarefa',
  operation: 'Operação',
  duration: 'Duração',
  when: 'Linha do tempo',
  cancel: 'Cancelar',
  again: 'Executar novamente',
  remove: 'Excluir',
  toAll: 'Todos os trabalhos',
}

export default words
