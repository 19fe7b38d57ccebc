export * from '../../kit/pages/filterForm.ts';
