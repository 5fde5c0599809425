"""What schemathesis has no setting for."""

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    # A redirect is the answer that is tried; behind it is the object store.
    kwargs["allow_redirects"] = False
