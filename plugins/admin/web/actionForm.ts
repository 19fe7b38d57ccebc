export * from '../../kit/pages/actionForm.ts';
