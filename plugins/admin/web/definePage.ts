export type {
  AdminAction as Action,
  AdminAnswered as Answered,
  AdminDone as Done,
  AdminPage as Page,
  AdminShown as Shown,
  AdminVisit as Visit,
  AdminVisitor as Visitor,
} from '../../contracts/adminPages.ts';
export { defineAdminPage as definePage } from '../../kit/pages/defineAdminPage.ts';
