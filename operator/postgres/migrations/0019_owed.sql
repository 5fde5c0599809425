-- Why: the provider is owed a job of an attempt once. An older version booked a job that the bill had shown as a stranger's, or as another attempt's,
-- again when its own attempt ended. Such a job is a row here, until a correcting transaction says otherwise.

create view genop.report_owed_mismatch as
  select bill.provider, bill.job_id, attempt.id as attempt_id, attempt.namespace, bill.amount as billed,
         attempt.charge + bill.difference + coalesce(corrected.amount, 0) as owed
    from (select provider, job_id, sum(amount) as amount, sum(difference) as difference
            from genop.usage_lines where judged_at is not null group by provider, job_id) bill
    join genop.attempts attempt on attempt.provider = bill.provider and attempt.job_id = bill.job_id and attempt.state = 'ended'
    left join lateral (
      select sum(entry.amount) as amount
        from genop.ledger_transactions header
        join genop.entries entry on entry.transaction_id = header.id
        join genop.accounts account on account.id = entry.account_id and account.kind = 'provider-payable'
       where header.namespace = attempt.namespace and header.operation = 'usage'
         and header.business_id in (bill.provider || '/' || bill.job_id || '/its-attempt',
                                    bill.provider || '/' || bill.job_id || '/correction')) corrected on true
   where attempt.charge + bill.difference + coalesce(corrected.amount, 0) <> bill.amount;
grant select on genop.report_owed_mismatch to genop_app;
